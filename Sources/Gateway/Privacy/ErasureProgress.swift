import Store

/// The erasure of users, one after another, in phases: which part is next.
///
/// A pure value, whose text is recorded after each part.
struct ErasureProgress: Hashable {
  /// The phases in their order.
  enum Phase: String, CaseIterable {
    /// Messages are removed or given to a pseudonym.
    case messages
    /// Groups are deleted, if the request says so.
    case channels
    /// The user with its roles, memberships, restrictions, tokens and files.
    case account
    /// The user as creator of groups and inviter of members.
    case groups
    /// Mentions in messages of others.
    case mentions
    /// The profile in events of channels.
    case events
    /// The rest of what names the user.
    case remains
  }

  /// The place of the user in the request.
  var user = 0
  var phase = Phase.messages
  /// The new author of anonymized messages; known for as long as there may be more of them.
  var pseudonym: String
  /// The position in the phase; empty at its beginning.
  var place = ""

  /// - Parameter pseudonym: For the next user whose messages are anonymized.
  init(pseudonym: String) { self.pseudonym = pseudonym }

  init?(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 4, let user = Int(parts[0]), let phase = Phase(rawValue: parts[1]) else {
      return nil
    }
    (self.user, self.phase, pseudonym, place) = (user, phase, parts[2], parts[3])
  }

  var text: String { "\(user) \(phase.rawValue) \(pseudonym) \(place)" }

  /// Goes on to the next phase, or to the next user with another pseudonym.
  mutating func endPhase(nextPseudonym: @autoclosure () -> String) {
    place = ""
    let phases = Phase.allCases
    let next = (phases.firstIndex(of: phase) ?? 0) + 1
    if next < phases.count {
      phase = phases[next]
    } else {
      (user, phase, pseudonym) = (user + 1, .messages, nextPseudonym())
    }
  }
}
