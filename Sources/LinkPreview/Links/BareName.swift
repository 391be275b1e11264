/// A name in a text that stands there without a scheme.
struct BareName {
  private let labels: [String]

  init(_ name: ArraySlice<Unicode.Scalar>) {
    labels = name.split(separator: ".", omittingEmptySubsequences: false).map { label in
      var view = String.UnicodeScalarView()
      view.append(contentsOf: label)
      return String(view)
    }
  }

  /// Whether the name is one that somebody may have registered: proper labels, the last of them a
  /// top-level domain, and more than a public suffix.
  static func isKnown(_ name: ArraySlice<Unicode.Scalar>) -> Bool {
    guard name.count <= 253, name.contains(".") else { return false }
    let parts = BareName(name)
    return parts.hasProperLabels && parts.endsInTopLevelDomain && !parts.isPublicSuffix
  }

  private var hasProperLabels: Bool {
    labels.count >= 2
      && labels.allSatisfy {
        !$0.isEmpty && $0.utf8.count <= 63 * 4 && !$0.hasPrefix("-") && !$0.hasSuffix("-")
      }
  }

  private var endsInTopLevelDomain: Bool {
    guard let last = labels.last, !last.isMixedCase else { return false }
    return !last.utf8.contains(where: \.isASCIIDigit) || last.lowercased().hasPrefix("xn--")
      ? DomainName.isPublicSuffix(last.lowercased()) : false
  }

  private var isPublicSuffix: Bool {
    DomainName.isPublicSuffix(labels.joined(separator: ".").lowercased())
  }

  /// Whether people would rather take it for a file: `README.md`, `main.rs`, `deploy.sh:12`.
  ///
  /// A path behind it, or a `www.` before it, says that it is a site.
  func looksLikeFile(followedBy rest: ArraySlice<Unicode.Scalar>) -> Bool {
    guard let ending = labels.last?.lowercased(), Self.fileEndings.contains(ending) else {
      return false
    }
    return rest.first != "/" && labels.first?.lowercased() != "www"
  }

  /// Top-level domains that are met far more often as the ending of a file's name.
  private static let fileEndings: Set<String> = [
    "bz", "cab", "cc", "md", "mk", "ml", "mm", "mov", "pl", "ps", "py", "rs", "sh", "so", "tf",
    "zip",
  ]
}

extension String {
  /// Whether some letters are capitals and some are not: as after a full stop without a space.
  fileprivate var isMixedCase: Bool {
    self != lowercased() && self != uppercased()
  }
}
