package import CCurl

/// Drives the transfers of one owner with libcurl's multi interface; confined to its thread.
package final class CurlLoop<Transfer: CurlTransfer> {
  private let multi: UnsafeMutableRawPointer
  private var transfers: [UnsafeMutableRawPointer: Transfer] = [:]

  /// Takes possession of a multi handle.
  ///
  /// - Parameter maximumConnections: The number of idle connections kept for the next transfers.
  package init(_ multi: UnsafeMutableRawPointer, maximumConnections: Int) {
    self.multi = multi
    _ = parley_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, max(1, maximumConnections))
  }

  deinit {
    for easy in transfers.keys { curl_multi_remove_handle(multi, easy) }
    curl_multi_cleanup(multi)
  }

  /// Whether no transfer is under way.
  package var isIdle: Bool { transfers.isEmpty }

  /// Begins a transfer and keeps it until it ends or is removed.
  ///
  /// - Returns: Whether libcurl took it.
  package func add(_ transfer: Transfer) -> Bool {
    guard curl_multi_add_handle(multi, transfer.easy.handle) == CURLM_OK else { return false }
    transfers[transfer.easy.handle] = transfer
    return true
  }

  /// Cancels a transfer; its owner is not notified of it again.
  package func remove(_ transfer: Transfer) {
    guard transfers.removeValue(forKey: transfer.easy.handle) != nil else { return }
    curl_multi_remove_handle(multi, transfer.easy.handle)
  }

  /// Cancels all transfers; their owner is not notified of them again.
  package func removeAll() -> [Transfer] {
    let removed = Array(transfers.values)
    for transfer in removed { remove(transfer) }
    return removed
  }

  /// Runs until the inbox is stopped, and closes it.
  package func run<Owner: CurlLoopOwner>(_ inbox: CurlInbox<Owner.Request>, for owner: Owner)
  where Owner.Transfer == Transfer {
    while true {
      let batch = inbox.take()
      for request in batch.requests { owner.receive(request) }
      if batch.isStopping {
        // Here, where the handle is known to live: after this call nothing keeps the loop alive.
        inbox.close()
        return owner.stop()
      }
      _ = owner.startTransfers()
      var running: Int32 = 0
      curl_multi_perform(multi, &running)
      finishTransfers(for: owner)
      curl_multi_poll(multi, nil, 0, Self.milliseconds(until: owner.startTransfers()), nil)
    }
  }

  private func finishTransfers<Owner: CurlLoopOwner>(for owner: Owner)
  where Owner.Transfer == Transfer {
    var remaining: Int32 = 0
    while let message = curl_multi_info_read(multi, &remaining) {
      let result = parley_curl_done_result(message)
      guard result >= 0, let easy = message.pointee.easy_handle,
        let transfer = transfers[easy]
      else { continue }
      remove(transfer)
      owner.didEnd(transfer, CURLcode(rawValue: UInt32(result)))
    }
  }

  /// The longest time to wait; libcurl knows its own timers, and the inbox wakes.
  private static func milliseconds(until wakeUp: ContinuousClock.Instant?) -> Int32 {
    guard let wakeUp else { return 1_000 }
    let remaining = ContinuousClock.now.duration(to: wakeUp) / Duration.milliseconds(1)
    return Int32(min(max(remaining.rounded(.up), 0), 1_000))
  }
}

/// Decides what a ``CurlLoop`` transfers; called on the loop's thread only.
package protocol CurlLoopOwner: AnyObject, SendableMetatype {
  /// A request from another thread.
  associatedtype Request: Sendable
  associatedtype Transfer: CurlTransfer

  func receive(_ request: Request)

  /// Adds the transfers whose turn has come; called after requests have come or transfers ended.
  ///
  /// - Returns: When to be called again at the latest; `nil` when only something new matters.
  func startTransfers() -> ContinuousClock.Instant?

  /// A transfer has ended by itself and is no longer in the loop.
  func didEnd(_ transfer: Transfer, _ result: CURLcode)

  /// The loop ends: removes its transfers and answers all requests.
  func stop()
}

/// A request that a ``CurlLoop`` carries out.
///
/// Set up with ``CurlEasy/receiver``; called on the loop's thread only.
package protocol CurlTransfer: AnyObject, SendableMetatype {
  var easy: CurlEasy { get }

  /// Takes a line of a response's head; there may be several heads, interim responses (1xx) too.
  ///
  /// - Returns: Whether more is wanted; if not, the transfer ends with `CURLE_WRITE_ERROR`.
  func receiveHead(_ line: UnsafeBufferPointer<UInt8>) -> Bool

  /// Takes bytes of the body, decompressed.
  ///
  /// - Returns: Whether more is wanted; if not, the transfer ends with `CURLE_WRITE_ERROR`.
  func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool
}
