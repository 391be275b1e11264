extension String {
  /// The case-folded text, for comparisons: Unicode's full case folding, so that `STRASSE` and `Straße`
  /// are equal.
  ///
  /// Independent of language: the dotless ı of Turkish is a separate letter.
  package var caseFolded: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return lowercased() }
    var folded = String.UnicodeScalarView()
    for scalar in unicodeScalars { folded.append(contentsOf: scalar.caseFolded) }
    return String(folded)
  }
}

extension Unicode.Scalar {
  /// Lower case, then upper case, then lower case again unifies letters that a single mapping keeps
  /// apart: `ẞ` has `ß` as its lower case, which has `SS` as its upper case.
  var caseFolded: String.UnicodeScalarView {
    // Its upper case is that of the dotted i, which case folding keeps distinct.
    guard value != 0x131 else { return String.UnicodeScalarView([self]) }
    return properties.lowercaseMapping.mapped(\.uppercaseMapping).mapped(\.lowercaseMapping)
      .unicodeScalars
  }
}

extension String {
  /// Each scalar mapped separately, without regard to its neighbours.
  fileprivate func mapped(_ mapping: KeyPath<Unicode.Scalar.Properties, String>) -> String {
    var mapped = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      mapped.append(contentsOf: scalar.properties[keyPath: mapping].unicodeScalars)
    }
    return String(mapped)
  }
}
