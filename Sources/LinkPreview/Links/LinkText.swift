/// The scalars of a text in which links are looked for.
struct LinkText {
  let scalars: [Unicode.Scalar]

  init(_ scalars: [Unicode.Scalar]) { self.scalars = scalars }

  var count: Int { scalars.count }

  /// The scalar at `index`, `nil` before the first and behind the last.
  subscript(index: Int) -> Unicode.Scalar? {
    scalars.indices.contains(index) ? scalars[index] : nil
  }

  /// Returns the end of the scalars from `index` on that satisfy `condition`.
  func end(from index: Int, while condition: (Unicode.Scalar) -> Bool) -> Int {
    var end = index
    while end < count, condition(scalars[end]) { end += 1 }
    return end
  }

  func string(_ range: Range<Int>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars[range])
    return String(view)
  }

  /// Returns the end of `http://` or `https://`, in any case, at `index`; `nil` if there is none.
  func webSchemeEnd(at index: Int) -> Int? {
    let name = end(from: index) { $0.isASCIIAlphanumeric }
    guard isSchemeEnd(name), isWebScheme(index..<name) else { return nil }
    return name + 3
  }

  /// Whether `://` stands at `index`.
  func isSchemeEnd(_ index: Int) -> Bool {
    self[index] == ":" && self[index + 1] == "/" && self[index + 2] == "/"
  }

  /// Whether the scalars of `range` are `http` or `https`.
  func isWebScheme(_ range: Range<Int>) -> Bool {
    guard range.count == 4 || range.count == 5 else { return false }
    return zip(scalars[range], "https".unicodeScalars).allSatisfy { $0.asciiLowercased == $1 }
  }
}
