import Channels

/// The positions of channels after a session's last writes, valid while none of these is undone.
///
/// A position may be outdated because another writer has advanced it. A write that continues from it
/// then fails.
struct KnownPlaces {
  /// Beyond this limit all are dropped; a channel returns with its next message.
  private static let limit = 10_000

  private var places: [Int64: AppendFacts.Place] = [:]
  private var undoneCount = 0

  /// Drops all positions when transactions were undone, which may have written some of these.
  ///
  /// - Parameter count: The number of undone transactions of the session.
  mutating func forgetAll(unlessKeptSince count: Int) {
    guard count != undoneCount else { return }
    undoneCount = count
    places = [:]
  }

  mutating func forget(_ channelID: Int64) { places[channelID] = nil }

  /// Stores the positions after a run of messages.
  mutating func keep(_ new: [Int64: AppendFacts.Place]) {
    if places.count + new.count > Self.limit { places = [:] }
    for (channelID, place) in new {
      places[channelID] = AppendFacts.Place(
        term: place.term, lastSeq: place.lastSeq, lastOrdinal: place.lastOrdinal)
    }
  }

  /// The facts for messages that depend only on known positions; `nil` when more must be read.
  func facts(of run: ArraySlice<MessageAddition>) -> AppendFacts? {
    var facts = AppendFacts()
    for addition in run {
      let new = addition.new
      guard new.mentionedUserIDs.isEmpty, new.upload == nil, !new.mayBeRepeated,
        let place = places[addition.channel.id], place.term == addition.channel.term,
        place.lastSeq >= addition.channel.lastSeq
      else { return nil }
      facts.places[addition.channel.id] = place
    }
    return facts
  }
}
