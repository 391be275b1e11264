/// A system call that goes through the ``Kernel``'s door.
package enum SystemCall: Sendable, Hashable, CaseIterable {
  case socket, bind, listen, connect, accept, setsockopt, getsockopt, shutdown
  case recv, send, sendfile
  case epollCreate, epollAdd, epollModify, epollDelete, epollWait
  case eventfd, timerfd
  case open, close, read, write
  case pread, ftruncate, fsync, flock, rename, unlink, mkdir
}

/// Plays the kernel in a test.
package protocol KernelScript: AnyObject, Sendable {
  /// Performs a system call, or answers in the kernel's place.
  ///
  /// - Parameters:
  ///   - descriptor: The descriptor that the call is on; the watched one for `epoll_ctl`, and -1 for
  ///     calls that make one.
  ///   - count: The most bytes, or events, that the call may move; 0 for calls that move none.
  ///   - body: Makes the real call, with a count of the script's choice.
  /// - Returns: The kernel's result: for a failure the negated `errno`.
  func perform(
    _ call: SystemCall, on descriptor: Int32, count: Int, _ body: (_ count: Int) -> Int
  ) -> Int
}
