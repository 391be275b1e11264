internal import ParleyProtocol

/// Sending messages, and handling the responses.
extension LoadConnection {
  /// Sends the next message.
  ///
  /// - Parameter intended: The scheduled send time.
  func send(intended: Int64) {
    guard isReady, !member.channels.isEmpty else { return }
    let number = nextNumber
    nextNumber &+= 1
    let channel = member.channels[Int(number) % member.channels.count]
    let stamp = MessageStamp(
      run: worker.target.run, sender: UInt32(truncatingIfNeeded: place), number: number,
      intended: intended)
    pending[number] = UnansweredSend(channel: channel, intended: intended)
    worker.counters.sent += 1
    let text = worker.plan.content.text(sender: stamp.sender, number: number)
    request(RequestID.firstSend + Int64(number), "message.send") { [worker] in
      $0.member("channel_url", ChannelName.url(run: worker.target.run, channel: channel))
      $0.member("message", text)
      $0.member("data", stamp.text)
    }
  }

  func receiveSendAnswer(_ number: UInt32, _ result: Result<JSONNode, ServiceError>) {
    guard let send = pending.removeValue(forKey: number) else {
      worker.counters.unexpected += 1
      return
    }
    switch result {
    case .success(let answer): didAccept(answer, number, send)
    case .failure(let error) where error.code == .flood: worker.counters.refusedFlood += 1
    case .failure(let error):
      worker.counters.refusedOtherwise += 1
      worker.note("connection \(place), message \(number): \(error)")
    }
    worker.didAnswer(self)
  }

  private func didAccept(_ answer: JSONNode, _ number: UInt32, _ send: UnansweredSend) {
    guard let seq = answer["seq"]?.integer, let message = answer["message"],
      let id = message["message_id"]?.integer, let createdAt = message["created_at"]?.integer
    else {
      worker.counters.unexpected += 1
      return
    }
    worker.counters.accepted += 1
    worker.accept(
      ConfirmedMessage(
        seq: seq, createdAt: createdAt, messageID: id, sender: UInt32(truncatingIfNeeded: place),
        number: number),
      in: send.channel)
    if member.role != .abuser { worker.recordAnswer(since: send.intended) }
  }
}

/// Handling of messages after the connection is ready.
extension LoadConnection {
  private static let limits = JSONLimits(nodeCount: 200_000)

  /// Records a delivery; `isLive` is false for a message of a recovery.
  func receive(_ delivery: MessageReceipt, isLive: Bool) {
    // A connection is in few channels, usually in one.
    guard let index = trace(of: delivery.channel), delivery.stamp.run == worker.target.run else {
      worker.counters.unexpected += 1
      return
    }
    traces[index].receive(
      seq: delivery.seq, sender: delivery.stamp.sender, number: delivery.stamp.number)
    worker.count(delivery.stamp, for: self, isLive: isLive)
  }

  /// Handles messages other than plain deliveries.
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
    switch EventName(rawValue: method) {
    case .messageReceived:
      guard let channel, let delivery = Self.delivery(params, in: channel) else {
        worker.counters.unexpected += 1
        return
      }
      receive(delivery, isLive: isLive)
    case .throttled:
      // Bounded, so that no server can make the sum overflow.
      worker.counters.withheldTold += Int(UInt32(clamping: params["withheld"]?.integer ?? 0))
    case .messageUpdated:
      worker.counters.updates += 1
      receiveNumbered(params, in: channel)
    case .messageDeleted, .channelCreated, .channelChanged, .channelDeleted, .channelFrozen,
      .channelUnfrozen, .userMuted, .userUnmuted, .userBanned, .userUnbanned, .operatorsChanged,
      .groupCreated, .groupInvited, .groupJoined, .groupDeclined, .groupLeft, .groupMemberCount,
      .groupLost, .groupUnread, .groupHidden, .groupUnhidden, .groupRead, .groupDelivered,
      .groupTyping, .groupReady,
      .groupTotals,
      .userEntered, .userExited, .participantCount, .messageWithheld, .mentionReceived,
      .sessionExpiring, .sessionFileKey, .serverDraining, .messageReport, .userReport,
      .channelReport, nil:
      receiveNumbered(params, in: channel)
    }
  }

  private func receiveNumbered(_ params: JSONNode, in channel: UInt32?) {
    guard let channel, let seq = params["seq"]?.integer, let index = trace(of: channel) else {
      return
    }
    traces[index].receiveOther(seq: seq)
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

/// A sent message without a response.
struct UnansweredSend {
  let channel: UInt32
  /// The scheduled send time, in nanoseconds of the monotonic clock.
  let intended: Int64
}

/// The ids of requests, which identify their methods.
enum RequestID {
  static let open: Int64 = 1
  static let firstCreate: Int64 = 100
  static let firstEnter: Int64 = 200
  static let firstSend: Int64 = 1000
}
