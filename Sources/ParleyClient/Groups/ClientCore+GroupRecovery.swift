internal import ParleyProtocol

/// Missed events of groups: after a lost connection, and when numbers of events are missing.
///
/// While a group is recovered, its live events wait, so that the application receives all events in order.
extension ClientCore {
  /// The number of groups in a call.
  private static let groupsPerCall = 100

  /// Recovers the groups that were known before `group.ready`, and reads those that have changed.
  ///
  /// - Parameter token: The user's token of changes from before; `nil` to read all groups instead. Another
  ///   user sees another part of them.
  func recoverGroups(changedSince token: String?) {
    let groups = channels.groups.filter(\.mustBeRead)
    guard !groups.isEmpty else { return }
    for group in groups { group.state.holdEvents() }
    let coverage = groupCoverage
    Task { [self] in
      if token != nil { await recover(groups) }
      let changed = await changedGroups(since: token)
      // The application may have read one meanwhile.
      for group in groups where group.mustBeRead || changed?.contains(group.url) != false {
        // After another cut, the recovery that follows it looks after the groups.
        guard groupCoverage == coverage else { return }
        await readAgain(group)
      }
    }
  }

  /// Recovers a group whose events have a gap in their numbers.
  func recoverGap(in group: GroupChannel) {
    group.state.holdEvents()
    Task { [self] in
      await recover([group])
      if group.state.view.holdsEvents { await readAgain(group) }
    }
  }

  /// Delivers the missed events of groups, as far as they can be recovered.
  private func recover(_ groups: [GroupChannel]) async {
    var rest = groups.filter { $0.state.view.position != nil }
    while !rest.isEmpty {
      let batch = Array(rest.prefix(Self.groupsPerCall))
      do throws(ParleyError) {
        let call = groupCalls.recover(batch).map { [self] results in take(results, of: batch) }
        let again = try await performPatiently(call, waiting: \.pauseOfCalls)
        // A group that is refused room as the first of a call would be so again.
        rest = rest.dropFirst(batch.count) + again.filter { $0 !== batch.first }
      } catch {
        // Each group is read instead.
        return
      }
    }
  }

  /// Applies an answer, on the engine's thread.
  ///
  /// - Returns: The groups whose events did not fit into the answer.
  func take(_ results: [GroupRecoveryResult], of groups: [GroupChannel]) -> [GroupChannel] {
    var again: [GroupChannel] = []
    for result in results {
      guard let group = groups.first(where: { $0.url == result.url }) else { continue }
      switch result.outcome {
      case .recovered(let events, let position): deliver(events, upTo: position, to: group)
      case .noRoom: again.append(group)
      case .unavailable: break
      }
    }
    return again
  }

  private func deliver(
    _ events: [GroupRecoveryResult.Event], upTo position: ChannelPosition, to group: GroupChannel
  ) {
    // A position of before another life of the group's count is not of this one.
    guard group.state.view.position?.epoch == position.epoch else { return }
    let wasCovered = group.state.view.isCovered
    var missed = 0
    for event in events {
      guard
        let incoming = try? Incoming(method: event.method, params: event.params, reader),
        let arrival = GroupArrivals.Event(incoming, event.params, method: event.method)
      else { continue }
      let isKnown = arrival.seq.map(group.state.contains) ?? false
      // An update that the server held back may be older than events that have arrived.
      guard !isKnown || arrival.isUpdate else { continue }
      if !isKnown { missed += 1 }
      deliver(arrival, to: group)
    }
    group.state.cover(upTo: position.reached)
    if !wasCovered || missed > 0 { tell(.group(group, .recovered(eventCount: missed))) }
    releaseEvents(of: group)
  }

  /// Delivers the events that came while a group was recovered or read.
  func releaseEvents(of group: GroupChannel) {
    group.state.stopHoldingEvents()
    for event in arrivals.take(group.url) {
      // Other events are part of what was recovered, among them those without a number.
      if let seq = event.seq, group.state.contains(seq: seq) { continue }
      deliver(event, to: group)
    }
  }

  /// The groups that have changed since a token; `nil` if that is unknown.
  private func changedGroups(since token: String?) async -> Set<String>? {
    guard var token else { return nil }
    var changed: Set<String> = []
    do throws(ParleyError) {
      while true {
        let page = try await performPatiently(
          groupCalls.changes(since: .token(token)), waiting: \.pauseOfCalls)
        changed.formUnion(page.updated.map(\.snapshot.url) + page.departed)
        guard page.hasMore else { return changed }
        token = page.token
      }
    } catch {
      return nil
    }
  }
}

extension GroupArrivals.Event {
  /// An event that was recovered; `nil` for one that is not about a group.
  fileprivate init?(_ incoming: Incoming, _ params: JSONNode, method: String) {
    let notification = WireEvent.Notification(method: method, params: params)
    switch incoming {
    case .channel(_, let event, let change):
      guard let event = GroupChannelEvent(event) else { return nil }
      self.init(event, change, params, notification)
    case .group(_, let event, let change): self.init(event, change, params, notification)
    case .connection, .mentioned, .groupsReady, .totals: return nil
    }
  }
}

/// The answer to `group.recover` about a group.
struct GroupRecoveryResult: Sendable {
  struct Event: Sendable {
    let method: String
    let params: JSONNode
  }

  enum Outcome: Sendable {
    case recovered([Event], ChannelPosition)
    /// The events did not fit beside those of other groups.
    case noRoom
    /// The group must be read, which also shows whether the user is still in it.
    case unavailable
  }

  let url: String
  let outcome: Outcome

  init(json: JSONNode) throws(ParleyError) {
    url = try AnswerReader.text("channel_url", of: json)
    guard json.present("recovered")?.bool == true else {
      outcome = json["reason"]?.string == "budget" ? .noRoom : .unavailable
      return
    }
    let position = ChannelPosition(
      epoch: try AnswerReader.text("epoch", of: json),
      reached: try AnswerReader.integer("seq", of: json))
    let events = try AnswerReader.list("events", of: json) {
      (event: JSONNode) throws(ParleyError) in
      Event(
        method: try AnswerReader.text("method", of: event),
        params: try AnswerReader.member("params", of: event))
    }
    outcome = .recovered(events, position)
  }
}

extension GroupCalls {
  /// Requests the events after the positions of some groups, at most 100.
  func recover(_ groups: [GroupChannel]) -> Call<[GroupRecoveryResult]> {
    Call(
      "group.recover", .safe,
      params: {
        $0.member(
          "channels",
          array: {
            for group in groups {
              guard let position = group.state.view.position else { continue }
              $0.object {
                $0.member("channel_url", group.url)
                $0.member("epoch", position.epoch)
                $0.member("seq", position.reached)
              }
            }
          })
      },
      reading: { (node: JSONNode) throws(ParleyError) in
        try AnswerReader.list("results", of: node, GroupRecoveryResult.init(json:))
      })
  }
}
