/// A value of a preview together with its source.
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
