internal import ArgumentParser

/// What a user may be kept from in a channel.
enum RestrictionKind: String, ExpressibleByArgument, CaseIterable {
  case ban
  case mute

  /// The member of a page that lists them.
  var listName: String { "\(past)_list" }
  /// What one of them is.
  var past: String { self == .ban ? "banned" : "muted" }
}
