/// A transport's part of the sockets that all event loops of the process share.
package struct SocketSharing: Sendable {
  /// This event loop's number.
  package let loop: Int
  private let clients: SocketBudget
  private let operations: SocketBudget
  /// Has another event loop close its longest silent connection.
  let askToShed: @Sendable (_ loop: Int, SocketPool) -> Void

  package init(
    loop: Int, clients: SocketBudget, operations: SocketBudget,
    askToShed: @escaping @Sendable (_ loop: Int, SocketPool) -> Void
  ) {
    self.loop = loop
    self.clients = clients
    self.operations = operations
    self.askToShed = askToShed
  }

  func budget(of pool: SocketPool) -> SocketBudget {
    switch pool {
    case .clients: clients
    case .operations: operations
    }
  }
}
