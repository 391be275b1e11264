import Transport

/// How the process's descriptors are shared out among clients, the operator's tools and its own
/// files and transfers.
///
///     0 ─── clients ──── limit − reserve ┬ clients for a moment ┬ operations ┬ own ─── limit
///                                        ╰── a quarter of it ───┴─ another ──┴─ half ╯
struct DescriptorPlan {
  /// Descriptors that are not for clients; of few a quarter is kept.
  private static let reserve = 256

  private let clients: Int
  private let quarter: Int

  /// - Parameter limit: The descriptors that the process may have.
  init(limit: Int) {
    let reserve = min(Self.reserve, limit / 4)
    clients = max(limit - reserve, 1)
    quarter = max(reserve / 4, 1)
  }

  /// The WebSockets that the process may have.
  ///
  /// - Parameter wanted: The number that the settings ask for; 0 is as many as possible.
  func webSockets(_ wanted: Int) -> Int { wanted == 0 ? clients : min(wanted, clients) }

  /// The sockets of clients; those in the overdraft last until others have made room.
  func clients(loops: Int) -> SocketBudget {
    SocketBudget(limit: clients, overdraft: quarter, loops: loops)
  }

  /// The sockets of `operations.listen`.
  func operations(loops: Int) -> SocketBudget {
    SocketBudget(limit: quarter, overdraft: 0, loops: loops)
  }
}
