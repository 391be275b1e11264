import Channels
import ParleyProtocol

/// The stages of a channel on other servers.
extension ChannelHost {
  /// Handles a message of a stage on another server.
  func receive(_ report: StageReport, from address: StageAddress) {
    switch report {
    case .sought, .vacant: break
    case .attach, .arrive, .admit, .entered, .left, .detach: noteUse()
    }
    if isGroup {
      if case .arrive(let piece) = report {
        let strangers = piece.userIDs.filter { !isJoined($0) }
        return home.arrive(piece, strangers: strangers, at: address)
      }
      // A user who has closed its last connection on a server does not type there.
      if case .left(let userID) = report { handle(JudgeInput.left(userID: userID)) }
    }
    if case .attach(let attachment) = report, isBehind(attachment) {
      shard.channels.giveUp(self, knowing: KnownEvent(epoch: epoch, seq: attachment.seq))
      return shard.send([.released], toStageOf: url, at: address)
    }
    home.receive(report, from: address, at: stageStart(after: judge.lastSeq))
  }

  /// The channel as stages continue from it, after an event.
  func stageStart(after seq: Int64) -> StageStart {
    StageStart(
      channel: judge.channel, channelID: place.id, epoch: epoch, seq: seq,
      throttleLimit: throttleLimit, announced: nil)
  }

  /// Continues after messages to or from a server were lost.
  func linkWasReset(with server: UInt16) { if isGroup { home.linkWasReset(with: server) } }

  /// Adds a connection of a user on any server, if the user is still a joined member.
  func add(_ seat: Seat) {
    guard isJoined(seat.userID) else { return }
    if let stage, seat.session.server == shard.services.server { return stage.handle(.seat(seat)) }
    home.add(seat, from: stageStart(after: judge.lastSeq))
  }

  /// Whether a stage has received an event that this home does not know: the log has lost it, or
  /// another home has replaced this one.
  private func isBehind(_ attachment: StageAttachment) -> Bool {
    !judge.channel.isEphemeral && attachment.epoch == epoch && attachment.seq > judge.lastSeq
  }

  /// Forgets a server that is gone.
  func remove(server: UInt16) { home.remove(server: server) }

  /// Notes that a server has reported its stage, if it has one.
  func stopAwaiting(_ server: UInt16) { home.stopAwaiting(server) }

  /// Sends the turn's news to stages on other servers.
  func endTurn() { home.endTurn() }
}
