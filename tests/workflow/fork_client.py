"""Stands for the interpreter of a script: has it run in a fork of a process that has imported its
libraries already.

Arguments: the socket of that process (`snakemake_server.py`), and the script. Folder, variables and
standard streams of this process are the script's; the exit code is the script's.
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
