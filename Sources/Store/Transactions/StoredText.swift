import Glibc

extension String {
  /// - Throws: `StoreError.unstorableText` for a text with U+0000: SQLite's end there, so it would be
  ///   taken for a shorter one.
  func checkStorable() throws(StoreError) {
    let holdsNull = utf8.withContiguousStorageIfAvailable { $0.holdsNull } ?? utf8.contains(0)
    if holdsNull { throw .unstorableText }
  }
}

extension UnsafeBufferPointer<UInt8> {
  fileprivate var holdsNull: Bool {
    baseAddress.map { memchr($0, 0, count) != nil } ?? false
  }
}

extension String {
  /// The text without regard to case, for comparing: Unicode's full case folding, so that `STRASSE`
  /// and `Straße` are equal.
  ///
  /// Independent of language: the dotless ı of Turkish is a letter of its own.
  var caseFolded: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return lowercased() }
    var folded = String.UnicodeScalarView()
    for scalar in unicodeScalars { folded.append(contentsOf: scalar.caseFolded) }
    return String(folded)
  }
}

extension Unicode.Scalar {
  /// Lower case, then upper case, then lower case again brings together what one of them keeps
  /// apart: `ẞ` has `ß` as its lower case, which has `SS` as its upper case.
  fileprivate var caseFolded: String.UnicodeScalarView {
    // Its upper case is that of the dotted i, from which folding keeps it apart.
    guard value != 0x131 else { return String.UnicodeScalarView([self]) }
    return properties.lowercaseMapping.mapped(\.uppercaseMapping).mapped(\.lowercaseMapping)
      .unicodeScalars
  }
}

extension String {
  /// Each scalar mapped by itself, without regard to its neighbours.
  fileprivate func mapped(_ mapping: KeyPath<Unicode.Scalar.Properties, String>) -> String {
    var mapped = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      mapped.append(contentsOf: scalar.properties[keyPath: mapping].unicodeScalars)
    }
    return String(mapped)
  }
}
