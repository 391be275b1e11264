/// A transport's share of the sockets of the process.
package struct SocketSharing: Sendable {
  /// This event loop's number.
  package let loop: Int
  private let clients: SocketBudget
  private let operations: SocketBudget
  /// Asks another event loop to close its longest silent connection.
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
