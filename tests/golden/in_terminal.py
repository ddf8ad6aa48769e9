"""Runs a command in a terminal of so many columns, without colours, and prints what it writes there: in_terminal.py COLUMNS COMMAND...; ROWS (50) is how many lines it has."""
import fcntl
import os
import pty
import struct
import sys
import termios

pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", int(os.environ.get("ROWS", "50")), int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
text = b""
while True:
    try:
        block = os.read(terminal, 65536)
    except OSError:  # the command has ended
        break
    if not block:
        break
    text += block
sys.stdout.buffer.write(text.replace(b"\r\n", b"\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
