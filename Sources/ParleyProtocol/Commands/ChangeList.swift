/// A list of changes, oldest first: `group.changes`, the groups of the caller that have changed, and those
/// that it is no longer in.
package struct ChangeList: Sendable, Hashable {
  /// The beginning of a list.
  package enum Start: Sendable, Hashable {
    /// At the end of an earlier list, or when a connection began to receive events.
    case token(String)
    /// At a time in Unix milliseconds.
    case time(Int64)
  }

  package var start: Start
  package var limit: Int

  package init(_ start: Start, limit: Int) {
    self.start = start
    self.limit = limit
  }

  package init(_ parameters: Fields) throws(ServiceError) {
    try self.init(parameters, time: "since")
  }

  /// - Parameter time: The name of the parameter with the time.
  package init(_ parameters: Fields, time name: String) throws(ServiceError) {
    let time = try parameters.integer(name, in: Limits.timestamps)
    let limit = try parameters.pageSize(Limits.pageSizes.upperBound)
    switch (try parameters.pageToken(), time) {
    case (let token?, nil): self.init(.token(token), limit: limit)
    case (nil, let time?): self.init(.time(time), limit: limit)
    case (nil, nil): throw .missing("token")
    case (.some, .some): throw .notCombinable(name, "a token already says where to begin")
    }
  }

  /// The time from which on changes are kept, in Unix milliseconds.
  package static func oldest(at now: Int64) -> Int64 {
    now - Int64(Limits.changesDays) * 86_400_000
  }

  /// - Parameter now: Unix milliseconds.
  /// - Throws: 400111 for a time before the changes that are kept.
  package func requireKept(at now: Int64, time name: String = "since") throws(ServiceError) {
    guard case .time(let time) = start, time < Self.oldest(at: now) else { return }
    throw .invalid(
      name, String(time), expected: "a time in the last \(Limits.changesDays) days")
  }
}

/// `message.changes`: the messages of a channel that have changed, and those that were deleted.
package struct MessageChangeList: Sendable, Hashable {
  package var channelURL: String
  package var changes: ChangeList

  package init(channelURL: String, _ changes: ChangeList) {
    self.channelURL = channelURL
    self.changes = changes
  }

  package init(_ parameters: Fields) throws(ServiceError) {
    channelURL = try parameters.channelURL()
    changes = try ChangeList(parameters)
  }
}
