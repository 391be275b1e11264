import Glibc
package import Reactor

/// Makes two connected sockets that do not wait.
///
/// A program that another test starts meanwhile does not keep them open.
package func socketPair() throws(SystemError) -> (Int32, Int32) {
  var pair: [Int32] = [-1, -1]
  let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
  guard socketpair(AF_UNIX, Int32(kind), 0, &pair) == 0 else { throw .last("socketpair") }
  return (pair[0], pair[1])
}

/// Closes a socket so that its peer sees the end at once.
///
/// A program that is just being started has a copy of the descriptor until it is executed.
package func hangUp(_ descriptor: Int32) {
  shutdown(descriptor, Int32(SHUT_RDWR))
  close(descriptor)
}
