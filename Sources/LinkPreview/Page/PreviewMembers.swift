import ParleyProtocol

/// The members of a preview, each with its source.
struct PreviewMembers {
  var title: Sourced<String>?
  var address: Sourced<String>
  var description: Sourced<String>?
  var image: Sourced<OpenGraphImage>?

  /// Returns these members, with missing ones taken from `other`.
  func filled(from other: @autoclosure () -> PreviewMembers) -> PreviewMembers {
    if title != nil, description != nil, image != nil { return self }
    let other = other()
    return PreviewMembers(
      title: title ?? other.title, address: address, description: description ?? other.description,
      image: image ?? other.image)
  }

  /// The preview; `nil` if there is no title, description or image.
  var tag: OpenGraphTag? {
    guard title != nil || description != nil || image != nil else { return nil }
    return OpenGraphTag(
      title: title?.value, url: address.value, description: description?.value,
      image: image?.value)
  }

  /// The sources, in the order in which the tag is written.
  var origins: [PreviewOrigin] {
    [
      title?.origin(of: "og:title"), address.origin(of: "og:url"),
      description?.origin(of: "og:description"), image?.origin(of: "og:image"),
    ].compactMap { $0 }
  }
}

extension Sourced where Value == String {
  static func finalAddress(_ pageURL: WebURL) -> Self {
    Self(pageURL.text, .plainHTML, "final address")
  }
}

/// A value of a preview with its source.
struct Sourced<Value> {
  let value: Value
  let rank: PreviewRank
  let source: String

  init(_ value: Value, _ rank: PreviewRank, _ source: String) {
    self.value = value
    self.rank = rank
    self.source = source
  }

  func origin(of member: String) -> PreviewOrigin {
    PreviewOrigin(member: member, source: source, rank: rank)
  }
}

extension Sourced: Sendable where Value: Sendable {}
extension Sourced: Equatable where Value: Equatable {}
extension Sourced: Hashable where Value: Hashable {}

/// The result of checking one of several candidates for a member.
enum CandidateChoice<Value> {
  /// The value and its place.
  case usable(Value, String)
  /// The reason why it is unusable, as the predicate of "the first is".
  case unusable(String)

  /// Returns the first usable candidate, with a note if others were skipped.
  static func first<Candidate>(
    of candidates: [Candidate], _ rank: PreviewRank, judge: (Candidate) -> CandidateChoice
  ) -> Sourced<Value>? {
    var firstReason: String?
    for (index, candidate) in candidates.enumerated() {
      switch judge(candidate) {
      case .usable(let value, let place):
        let note = firstReason.map { " (candidate \(index + 1); the first is \($0))" } ?? ""
        return Sourced(value, rank, place + note)
      case .unusable(let reason): firstReason = firstReason ?? reason
      }
    }
    return nil
  }
}
