"""A replacement of the Python interpreter that runs a workflow script.

Instead of starting Python, this program has the script run in a fork of a process that has already
imported its libraries. The arguments are the socket of that process (see `snakemake_server.py`) and
the script. The script gets the folder, the environment variables and the standard streams of this
program. This program ends with the exit code of the script.
"""

import json
import os
import socket
import sys

name, script = sys.argv[1:]
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
    server.connect(f"\0{name}")
    socket.send_fds(
        server, [json.dumps([os.getcwd(), dict(os.environ), script]).encode()], [0, 1, 2]
    )
    code = int(server.recv(16) or 1)
sys.exit(code if code >= 0 else 128 - code)
