/// The relations of `link` elements that a preview may need.
enum LinkRelation: String, CaseIterable {
  case canonical, alternate
  case imageSource = "image_src"

  /// The relation that is spelt so, in upper or lower case.
  init?(_ text: ArraySlice<UInt8>) {
    guard text.count <= 16 else { return nil }
    var name = PackedName()
    for byte in text { name.append(byte) }
    guard let known = Self.byName[name] else { return nil }
    self = known
  }

  private static let byName = NameTable(allCases.map { ($0.rawValue, $0) })
}
