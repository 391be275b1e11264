extension String {
  /// The least text that is greater than every text that begins with this one, in the order of
  /// Unicode scalars, which is that of SQLite; `nil` when there is none.
  var successor: String? {
    var scalars = Array(unicodeScalars)
    while let last = scalars.popLast() {
      // Past U+D7FF come the surrogates, which are no scalars.
      let value = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let next = Unicode.Scalar(value) else { continue }
      return String(String.UnicodeScalarView(scalars + [next]))
    }
    return nil
  }
}
