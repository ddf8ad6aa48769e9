// System calls that Emscripten's own library answers too simply, for link time (em++ --js-library). A stream may have
// `status`, what fstat() says of it, and `window`, the columns and rows of its terminal.
mergeInto(LibraryManager.library, {
  // No program can start another one.
  posix_spawnp__sig: 'iiiiiii',
  posix_spawnp: function () {
    return {{{ cDefine('ENOTSUP') }}};
  },
  __syscall_fstat64__deps: ['$SYSCALLS'],
  __syscall_fstat64: function (fd, to) {
    try {
      var stream = SYSCALLS.getStreamFromFD(fd);
      return SYSCALLS.doStat(stream.status ? function () { return stream.status(); } : FS.stat, stream.path, to);
    } catch (error) {
      if (!(error instanceof FS.ErrnoError)) throw error;
      return -error.errno;
    }
  },
  __syscall_ioctl__deps: ['$SYSCALLS'],
  __syscall_ioctl: function (fd, what, more) {
    var stream = FS.getStream(fd);
    if (!stream) return -{{{ cDefine('EBADF') }}};
    if (!stream.tty || what !== {{{ cDefine('TIOCGWINSZ') }}}) return -{{{ cDefine('ENOTTY') }}};
    var window = (stream.window && stream.window()) || [0, 0], to = HEAP32[more >> 2];
    HEAP16[to >> 1] = window[1];
    HEAP16[(to >> 1) + 1] = window[0];
    return 0;
  },
  // Offsets of more than 32 bits.
  fd_pread__sig: 'iiiiiii',
  fd_pread__deps: ['$SYSCALLS'],
  fd_pread: function (fd, parts, count, low, high, read) {
    try {
      HEAP32[read >> 2] = SYSCALLS.doReadv(SYSCALLS.getStreamFromFD(fd), parts, count, high * 4294967296 + (low >>> 0));
      return 0;
    } catch (error) {
      if (!(error instanceof FS.ErrnoError)) throw error;
      return error.errno;
    }
  },
  fd_pwrite__sig: 'iiiiiii',
  fd_pwrite__deps: ['$SYSCALLS'],
  fd_pwrite: function (fd, parts, count, low, high, written) {
    try {
      HEAP32[written >> 2] = SYSCALLS.doWritev(SYSCALLS.getStreamFromFD(fd), parts, count, high * 4294967296 + (low >>> 0));
      return 0;
    } catch (error) {
      if (!(error instanceof FS.ErrnoError)) throw error;
      return error.errno;
    }
  },
  // A copy: nothing here writes to what it maps.
  _mmap_js__deps: ['$SYSCALLS', '$mmapAlloc'],
  _mmap_js: function (address, size, protection, flags, fd, offset, allocated, builtin) {
    try {
      var stream = SYSCALLS.getStreamFromFD(fd), at = mmapAlloc(size);
      if (!at) return -{{{ cDefine('ENOMEM') }}};
      for (var done = 0, got = 1; done < size && got > 0; done += got)
        got = FS.read(stream, HEAP8, at + done, size - done, offset + done);
      HEAP32[allocated >> 2] = 1;
      return at;
    } catch (error) {
      if (!(error instanceof FS.ErrnoError)) throw error;
      return -error.errno;
    }
  },
  __syscall_ftruncate64__deps: ['$SYSCALLS'],
  __syscall_ftruncate64: function (fd, low, high) {
    try {
      FS.ftruncate(fd, high * 4294967296 + (low >>> 0));
      return 0;
    } catch (error) {
      if (!(error instanceof FS.ErrnoError)) throw error;
      return -error.errno;
    }
  },
});
