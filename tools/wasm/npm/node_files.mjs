// The machine's own files in place of the file system in memory that Emscripten gives a program.
import fs from 'node:fs';
import path from 'node:path';

// Of <errno.h>, as Emscripten's libc counts.
const NUMBERS = {
  E2BIG: 1, EACCES: 2, EAGAIN: 6, EBADF: 8, EBUSY: 10, EDQUOT: 19, EEXIST: 20, EFBIG: 22, EINTR: 27, EINVAL: 28, EIO: 29, EISDIR: 31,
  ELOOP: 32, EMFILE: 33, ENAMETOOLONG: 37, ENFILE: 41, ENODEV: 43, ENOENT: 44, ENOMEM: 48, ENOSPC: 51, ENOSYS: 52, ENOTDIR: 54,
  ENOTEMPTY: 55, ENOTSUP: 138, ENXIO: 60, EPERM: 63, EPIPE: 64, EROFS: 69, ESPIPE: 70, ETXTBSY: 74, EXDEV: 75,
};
// Of <fcntl.h>, likewise.
const FLAGS = {
  O_WRONLY: 1, O_RDWR: 2, O_CREAT: 0o100, O_EXCL: 0o200, O_NOCTTY: 0o400, O_TRUNC: 0o1000, O_APPEND: 0o2000, O_NONBLOCK: 0o4000,
  O_DIRECTORY: 0o200000, O_NOFOLLOW: 0o400000,
};
const SEEK_CUR = 1, SEEK_END = 2, S_IFCHR = 0o20000;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

// Again while a pipe that does not block has nothing, or takes nothing.
function patiently(action) {
  for (;;) {
    try {
      return action();
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(sleeper, 0, 0, 5);
    }
  }
}

// `hooks.window_of(fd)`: columns and rows of a terminal, or null. `hooks.before_io(fd)` and `after_io(fd)` are called around each reading and writing; `hooks.made(path)` and `gone(path)`
// when a file of its own is made that was not there before, and when it is gone from there.
export function use_node_files(FS, hooks) {
  const { O_WRONLY, O_RDWR, O_CREAT, O_EXCL } = FLAGS;
  const flags_of = (flags) =>
    Object.entries(FLAGS).reduce((sum, [name, bit]) => (flags & bit ? sum | (fs.constants[name] ?? 0) : sum), 0);
  const fail = (code) => { throw Object.assign(new Error(code), { code }); };
  const node_of = (at, status) => ({ path: at, id: Number(status.ino), mode: status.mode, node_ops: {}, stream_ops: {} });
  const is_position = (position) => position !== undefined && position !== null;

  function standard(fd, flags) {
    const status = () => fs.fstatSync(fd);
    let first;
    try {
      first = status();
    } catch {
      return null; // closed
    }
    const window = hooks.window_of(fd);
    return {
      fd, nfd: fd, position: 0, path: ['/dev/stdin', '/dev/stdout', '/dev/stderr'][fd], flags, tty: window !== null, status, standard: true, stream_ops: {},
      window: () => window, node: { id: Number(first.ino), mode: first.mode }, seekable: false,
    };
  }

  const files = {
    createStandardStreams() {
      [0, 1, 2].forEach((fd) => { FS.streams[fd] = standard(fd, fd === 0 ? 0 : O_WRONLY); });
    },
    cwd: () => process.cwd().replaceAll(path.sep, '/'),
    lookupPath(at, options = {}) {
      const of = options.parent ? path.dirname(at) : at;
      return { path: of, node: node_of(of, options.follow ? fs.statSync(of) : fs.lstatSync(of)) };
    },
    lookupNode(parent, name) {
      const at = path.join(parent.path, name), status = fs.lstatSync(at), node = node_of(at, status);
      // What getdents() makes of it is a file unless it is a folder, a link or a device.
      if (!status.isFile() && !status.isDirectory() && !status.isSymbolicLink()) node.mode = S_IFCHR;
      return node;
    },
    nodePermissions(node, wanted) {
      const { R_OK, W_OK, X_OK } = fs.constants;
      const bits = { r: R_OK, w: W_OK, x: X_OK };
      fs.accessSync(node.path, [...wanted].reduce((sum, letter) => sum | bits[letter], 0));
      return 0;
    },
    stat: (at) => fs.statSync(at),
    lstat: (at) => fs.lstatSync(at),
    readdir: (at) => ['.', '..', ...fs.readdirSync(at)],
    readlink: (at) => fs.readlinkSync(at),
    mkdir: (at, mode) => fs.mkdirSync(at, mode),
    rmdir: (at) => fs.rmdirSync(at),
    symlink: (target, at) => fs.symlinkSync(target, at),
    unlink(at) {
      fs.unlinkSync(at);
      hooks.gone(at);
    },
    rename(from, to) {
      fs.renameSync(from, to);
      hooks.gone(from);
    },
    chmod: (at, mode) => fs.chmodSync(at, mode),
    fchmod: (fd, mode) => fs.fchmodSync(FS.getStream(fd).nfd, mode),
    chown: (at, user, group) => fs.chownSync(at, user, group),
    fchown: (fd, user, group) => fs.fchownSync(FS.getStream(fd).nfd, user, group),
    truncate: (at, size) => fs.truncateSync(at, size),
    ftruncate: (fd, size) => fs.ftruncateSync(FS.getStream(fd).nfd, size),
    utime: (at, accessed, modified) => fs.utimesSync(at, accessed / 1000, modified / 1000),

    open(at, flags, mode) {
      // What stands for an open stream is that stream.
      const [, number] = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/.exec(at) ?? [];
      const opened = number ?? ['/dev/stdin', '/dev/stdout', '/dev/stderr'].indexOf(at);
      const fd = FS.nextfd();
      if (FS.streams[opened]?.standard) return (FS.streams[fd] = { ...FS.streams[opened], fd });
      const is_folder = !(flags & (O_WRONLY | O_RDWR | O_CREAT)) && fs.statSync(at).isDirectory();
      if (flags & FLAGS.O_DIRECTORY && !is_folder) fail('ENOTDIR');
      const nfd = is_folder ? -1 : fs.openSync(at, flags_of(flags), mode);
      if (flags & O_CREAT && flags & O_EXCL) hooks.made(at);
      const first = is_folder ? fs.statSync(at) : fs.fstatSync(nfd);
      return (FS.streams[fd] = {
        fd, nfd, position: 0, path: at, flags, node: node_of(at, first), stream_ops: {}, seekable: first.isFile() || is_folder, tty: false,
        status: is_folder ? () => fs.statSync(at) : () => fs.fstatSync(nfd),
      });
    },
    close(stream) {
      if (!stream.standard && stream.nfd >= 0) fs.closeSync(stream.nfd);
      FS.closeStream(stream.fd);
    },
    llseek(stream, offset, whence) {
      const status = stream.status();
      if (!status.isFile() && !status.isDirectory()) fail('ESPIPE');
      if (offset !== 0 || whence !== SEEK_CUR) stream.seekable = true;
      const from = whence === SEEK_CUR ? stream.position : whence === SEEK_END ? status.size : 0;
      if (from + offset < 0) fail('EINVAL');
      return (stream.position = from + offset);
    },
    read(stream, buffer, offset, length, position) {
      if (stream.nfd < 0) fail('EISDIR');
      const at = is_position(position) ? position : stream.seekable ? stream.position : null;
      const to = new Uint8Array(buffer.buffer, offset >>> 0, length);
      hooks.before_io(stream.fd);
      const got = patiently(() => fs.readSync(stream.nfd, to, 0, length, at));
      hooks.after_io(stream.fd);
      if (!is_position(position)) stream.position += got;
      return got;
    },
    write(stream, buffer, offset, length, position) {
      const at = is_position(position) ? position : stream.seekable && !(stream.flags & FLAGS.O_APPEND) ? stream.position : null;
      const from = new Uint8Array(buffer.buffer, offset >>> 0, length);
      hooks.before_io(stream.fd);
      const put = patiently(() => fs.writeSync(stream.nfd, from, 0, length, at));
      hooks.after_io(stream.fd);
      if (!is_position(position)) stream.position += put;
      return put;
    },
    allocate: () => fail('ENOTSUP'),
    munmap: () => 0,
  };
  for (const [name, action] of Object.entries(files))
    FS[name] = (...words) => {
      try {
        return action(...words);
      } catch (error) {
        if (!error.code) throw error;
        throw new FS.ErrnoError(NUMBERS[error.code] ?? NUMBERS.EIO);
      }
    };
}
