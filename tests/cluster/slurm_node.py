"""A Slurm cluster of one node on the loopback interface of this machine, in its own folder."""

import contextlib
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "sinfo")
"""Programs of the Debian packages slurm-wlm and munge, which `tests/cluster/setup` installs."""

_WAITS_S = 300
# No daemon listens on another interface. The cluster has no accounting, so Snakemake uses squeue to
# follow its jobs. Slurm counts the cores and the memory of jobs, but does not enforce limits on
# them. The tests need only the counts.
_CONFIGURATION = """
ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthInfo=socket={folder}/munge.socket
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
ReturnToService=2
SlurmdTimeout=10
MinJobAge=3600
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory={memory_mb} State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
"""


def missing_programs():
    """List the programs that are not installed."""
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])
    return [name for name in PROGRAMS if shutil.which(name, path=path) is None]


class SlurmNode:
    """The daemons of Slurm and their settings in a folder. Only root can start them."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.host = socket.gethostname()
        path = os.pathsep.join(
            [str(self.folder / "bin"), os.environ.get("PATH", ""), "/usr/sbin", "/sbin"]
        )
        self.environment = {"SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": path}

    def start(self):
        """Start all daemons, and wait until the node accepts jobs."""
        for name in ("state", "spool", "bin"):
            (self.folder / name).mkdir(parents=True)
        self.folder.chmod(0o755)
        cores = os.cpu_count()
        memory_mb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
        values = {"host": self.host, "folder": self.folder, "ports": _free_ports(2), "cores": cores}
        text = _CONFIGURATION.format(**values, memory_mb=memory_mb)
        (self.folder / "slurm.conf").write_text(text)
        # The executor of Snakemake starts a step within a job, but does not pass SLURM_CONF to this
        # step.
        step = self.folder / "bin/srun"
        srun = shutil.which("srun")
        step.write_text(f'#!/bin/sh\nSLURM_CONF={self.folder}/slurm.conf exec {srun} "$@"\n')
        step.chmod(0o755)
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        files = {
            "key-file": "key",
            "socket": "socket",
            "pid-file": "pid",
            "log-file": "log",
            "seed-file": "seed",
        }
        self._run(
            "munged",
            "--force",
            *(f"--{name}={self.folder}/munge.{file}" for name, file in files.items()),
        )
        self._run("slurmctld", "-c")
        self.start_node()

    def start_node(self):
        """Start slurmd, and wait until the node accepts jobs."""
        self._run("slurmd")
        self._wait_for("idle", "mix", "alloc")

    def kill_node(self):
        """Kill slurmd and all processes on the node with SIGKILL, as in a power failure.

        Return after Slurm has noticed the failure.
        """
        for process in [_read_pid(self.folder / "slurmd.pid"), *_jobs_processes(self.folder)]:
            _kill(process)
        self._wait_for("down", "down*")

    def stop(self):
        """End the jobs and the daemons."""
        for name in ("slurmctld.pid", "slurmd.pid", "munge.pid"):
            _kill(_read_pid(self.folder / name))
        for process in _jobs_processes(self.folder):
            _kill(process)

    def failures(self):
        """Return how often the controller queued a job again because the node had failed."""
        return (self.folder / "slurmctld.log").read_text().count("due to failure of node")

    def _wait_for(self, *states):
        until = time.monotonic() + _WAITS_S
        while (state := self._run("sinfo", "--noheader", "--format=%t").strip()) not in states:
            if time.monotonic() > until:
                raise TimeoutError(
                    f"the node is {state!r}, not one of {states}; see {self.folder}/slurmctld.log"
                )
            time.sleep(0.5)

    def _run(self, program, *arguments):
        settings = {"env": os.environ | self.environment, "capture_output": True, "text": True}
        done = subprocess.run([program, *arguments], timeout=_WAITS_S, **settings)
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr}")
        return done.stdout


def _free_ports(number):
    with contextlib.ExitStack() as stack:
        sockets = [
            stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(number)
        ]
        return [one.getsockname()[1] for one in sockets]


def _jobs_processes(folder):
    """Yield the process ids of the jobs of this cluster and of the processes that watch these jobs.

    The environment of a process shows to which cluster it belongs.
    """
    for entry in Path("/proc").iterdir():
        try:
            environment = (entry / "environ").read_bytes() if entry.name.isdigit() else b""
            is_watcher = b"slurmstepd" in (entry / "cmdline").read_bytes() if environment else False
        except OSError:
            continue  # the process has ended
        if str(folder).encode() in environment and (is_watcher or b"SLURM_JOB_ID=" in environment):
            yield int(entry.name)


def _read_pid(path):
    return int(path.read_text()) if path.is_file() else None


def _kill(pid):
    with contextlib.suppress(ProcessLookupError):
        if pid is not None:
            os.kill(pid, 9)
