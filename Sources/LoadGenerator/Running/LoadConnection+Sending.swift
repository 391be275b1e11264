internal import ParleyProtocol

/// Sending messages, and what is answered.
extension LoadConnection {
  /// Sends the next message.
  ///
  /// - Parameter intended: When it was to be sent.
  func send(intended: Int64) {
    guard isReady, !member.channels.isEmpty else { return }
    let number = nextNumber
    nextNumber &+= 1
    let channel = member.channels[Int(number) % member.channels.count]
    let stamp = MessageStamp(
      run: worker.target.run, sender: UInt32(truncatingIfNeeded: place), number: number,
      intended: intended)
    pending[number] = PendingSend(channel: channel, intended: intended)
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

  private func didAccept(_ answer: JSONNode, _ number: UInt32, _ send: PendingSend) {
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
