package import CCurl

/// Runs the transfers of one owner with libcurl's multi interface; confined to its thread.
package final class CurlLoop<Transfer: CurlTransfer> {
  private let multi: UnsafeMutableRawPointer
  private var transfers: [UnsafeMutableRawPointer: Transfer] = [:]

  /// Takes ownership of a multi handle.
  ///
  /// - Parameter maximumConnections: The number of idle connections kept for later transfers.
  package init(_ multi: UnsafeMutableRawPointer, maximumConnections: Int) {
    self.multi = multi
    _ = parley_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, max(1, maximumConnections))
  }

  deinit {
    for easy in transfers.keys { curl_multi_remove_handle(multi, easy) }
    curl_multi_cleanup(multi)
  }

  /// Whether no transfer is in progress.
  package var isIdle: Bool { transfers.isEmpty }

  /// Starts a transfer and retains it until it ends or is removed.
  ///
  /// - Returns: Whether libcurl accepted it.
  package func add(_ transfer: Transfer) -> Bool {
    guard curl_multi_add_handle(multi, transfer.easy.handle) == CURLM_OK else { return false }
    transfers[transfer.easy.handle] = transfer
    return true
  }

  /// Cancels a transfer; its owner receives no further calls for it.
  package func remove(_ transfer: Transfer) {
    guard transfers.removeValue(forKey: transfer.easy.handle) != nil else { return }
    curl_multi_remove_handle(multi, transfer.easy.handle)
  }

  /// Cancels all transfers; their owner receives no further calls for them.
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
        // Here, while the handle is known to be valid: after this call nothing retains the loop.
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

  /// Returns the maximum time to wait; libcurl handles its own timers, and the inbox wakes the loop.
  private static func milliseconds(until wakeUp: ContinuousClock.Instant?) -> Int32 {
    guard let wakeUp else { return 1_000 }
    let remaining = ContinuousClock.now.duration(to: wakeUp) / Duration.milliseconds(1)
    return Int32(min(max(remaining.rounded(.up), 0), 1_000))
  }
}

/// Selects the transfers of a ``CurlLoop``; called on the loop's thread only.
package protocol CurlLoopOwner: AnyObject, SendableMetatype {
  /// A request from another thread.
  associatedtype Request: Sendable
  associatedtype Transfer: CurlTransfer

  func receive(_ request: Request)

  /// Adds the transfers whose turn has come; called after requests arrived or transfers ended.
  ///
  /// - Returns: The latest time of the next call; `nil` if only new events matter.
  func startTransfers() -> ContinuousClock.Instant?

  /// Handles a transfer that ended by itself and was removed from the loop.
  func didEnd(_ transfer: Transfer, _ result: CURLcode)

  /// Handles the end of the loop: removes its transfers and answers all requests.
  func stop()
}

/// A request performed by a ``CurlLoop``; used on the loop's thread only.
package protocol CurlTransfer: AnyObject, SendableMetatype {
  /// The handle, which has a ``CurlEasy/receiver``.
  var easy: CurlEasy { get }
}

/// Receives the response to a request, as ``CurlEasy/receiver`` of its handle.
package protocol CurlReceiver: AnyObject {
  /// Receives a line of a response's head; there may be several heads, including interim ones (1xx).
  ///
  /// - Returns: Whether to continue; if not, the transfer ends with `CURLE_WRITE_ERROR`.
  func receiveHead(_ line: UnsafeBufferPointer<UInt8>) -> Bool

  /// Receives bytes of the body, decompressed.
  ///
  /// - Returns: Whether to continue; if not, the transfer ends with `CURLE_WRITE_ERROR`.
  func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool
}
