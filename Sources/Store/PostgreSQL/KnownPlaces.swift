import Channels

/// The places of channels as a session has left them, for as long as nothing of it was undone.
///
/// A place may be wrong: another writer may have moved it on. So whoever goes on from it has the write
/// fail then.
struct KnownPlaces {
  /// More are forgotten together: a channel that is written to comes back with its next message.
  private static let limit = 10_000

  private var places: [Int64: AppendFacts.Place] = [:]
  private var undoneCount = 0

  /// Forgets all when transactions were undone, whose places may be among these.
  ///
  /// - Parameter count: How often that was so in the session.
  mutating func forgetAll(unlessKeptSince count: Int) {
    guard count != undoneCount else { return }
    undoneCount = count
    places = [:]
  }

  mutating func forget(_ channelID: Int64) { places[channelID] = nil }

  /// Takes over the places that a run of messages leaves.
  mutating func keep(_ new: [Int64: AppendFacts.Place]) {
    if places.count + new.count > Self.limit { places = [:] }
    for (channelID, place) in new {
      places[channelID] = AppendFacts.Place(term: place.term, lastSeq: place.lastSeq)
    }
  }

  /// The facts about messages that depend on nothing but known places; `nil` when more has to be read.
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
