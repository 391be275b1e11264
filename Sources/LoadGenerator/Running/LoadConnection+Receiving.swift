internal import ParleyProtocol

/// Handling of messages after the connection is ready.
extension LoadConnection {
  private static let limits = JSONLimits(nodeCount: 200_000)

  /// A message was delivered; `isLive` is false for a message of a recovery.
  func receive(_ delivery: MessageReceipt, isLive: Bool) {
    // A connection is in few channels, mostly in one.
    guard let index = trace(of: delivery.channel), delivery.stamp.run == worker.target.run else {
      worker.counters.unexpected += 1
      return
    }
    traces[index].receive(
      seq: delivery.seq, sender: delivery.stamp.sender, number: delivery.stamp.number)
    worker.count(delivery.stamp, for: self, isLive: isLive)
  }

  /// Reads what is no plain delivery.
  func receiveOther(_ text: Span<UInt8>) {
    if DeliveryScanner.isPresence(text) { return }
    let bytes = text.withUnsafeBufferPointer { Array($0) }
    guard let outputs = try? RPCOutput.parse(bytes, limits: Self.limits) else {
      worker.counters.unexpected += 1
      return worker.note("connection \(place): received a message that is not JSON-RPC")
    }
    for output in outputs {
      switch output {
      case .notification(let method, let params?): receiveEvent(method, params, isLive: true)
      case .notification: worker.counters.unexpected += 1
      case .reply(let id?, let result): receiveReply(id, result)
      case .reply(nil, _): worker.counters.unexpected += 1
      }
    }
  }

  func receiveEvent(_ method: String, _ params: JSONNode, isLive: Bool) {
    let channel = params["channel_url"]?.string.flatMap {
      ChannelName.channel(of: $0, run: worker.target.run)
    }
    let name = EventName(rawValue: method)
    if name == .messageReceived {
      guard let channel, let delivery = Self.delivery(params, in: channel) else {
        worker.counters.unexpected += 1
        return
      }
      receive(delivery, isLive: isLive)
    } else if name == .throttled {
      worker.counters.withheldTold += Int(clamping: params["withheld"]?.integer ?? 0)
    } else {
      if name == .messageUpdated { worker.counters.updates += 1 }
      guard let channel, let seq = params["seq"]?.integer, let index = trace(of: channel) else {
        return
      }
      traces[index].receiveOther(seq: seq)
    }
  }

  private static func delivery(_ params: JSONNode, in channel: UInt32) -> MessageReceipt? {
    guard let seq = params["seq"]?.integer, let data = params["message"]?["data"]?.string,
      let stamp = MessageStamp(Array(data.utf8).span)
    else { return nil }
    return MessageReceipt(channel: channel, seq: seq, stamp: stamp)
  }

  private func receiveReply(_ id: RPCIdentifier, _ result: Result<JSONNode, ServiceError>) {
    guard let id = Int64(id.json) else {
      worker.counters.unexpected += 1
      return
    }
    guard id >= RequestID.firstSend else { return receiveAnswer(id, result) }
    receiveSendAnswer(UInt32(truncatingIfNeeded: id - RequestID.firstSend), result)
  }
}
