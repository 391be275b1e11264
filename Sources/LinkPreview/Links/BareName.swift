internal import Bytes

/// A name in a text that somebody may have registered: proper labels, the last of them a top-level
/// domain, and more than a public suffix.
struct BareName {
  /// The labels in lower-case ASCII.
  private let labels: [Substring]

  /// - Parameter range: Host scalars and dots.
  init?(_ range: Range<Int>, in text: LinkText) {
    guard range.count <= 253, Self.mayBeKnown(range, in: text),
      case .name(let ascii)? = Host(parsing: Array(text.string(range).utf8)[...])
    else { return nil }
    labels = ascii.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count >= 2, labels.allSatisfy({ !$0.hasPrefix("-") && !$0.hasSuffix("-") }),
      let last = labels.last, DomainName.isPublicSuffix(String(last)),
      !DomainName.isPublicSuffix(ascii), !isTimeOfDay
    else { return nil }
  }

  /// What can be said without the conversion to ASCII, which costs most.
  private static func mayBeKnown(_ range: Range<Int>, in text: LinkText) -> Bool {
    let name = text.scalars[range]
    guard let dot = name.lastIndex(where: \.isDot) else { return false }
    let last = name[(dot + 1)...]
    guard last.count >= 2, !last.isMixedCase else { return false }
    if last.contains(where: \.isASCIIDigit) { return last.count > 4 && last[dot + 3] == "-" }
    return last.contains(where: \.isOftenMapped)
      || DomainName.isPublicSuffix(text.string(last.indices).lowercased())
  }

  /// Whether it is a time without a space, as `10.am` is.
  private var isTimeOfDay: Bool {
    labels.count == 2 && (labels[1] == "am" || labels[1] == "pm")
      && labels[0].utf8.allSatisfy(\.isASCIIDigit)
  }

  /// Whether people would rather take it for a file: `README.md`, `main.rs`, `deploy.sh:12`.
  ///
  /// A path behind it, or a `www.` before it, says that it is a site.
  func looksLikeFile(followedBy next: Unicode.Scalar?) -> Bool {
    guard let ending = labels.last, Self.fileEndings.contains(String(ending)) else { return false }
    return next != "/" && labels.first != "www"
  }

  /// Top-level domains that are met far more often as the ending of a file's name.
  private static let fileEndings: Set<String> = [
    "bz", "cab", "cc", "map", "md", "mk", "ml", "mm", "mov", "pl", "pm", "ps", "pub", "py", "rs",
    "sh", "so", "tf", "zip",
  ]
}

extension Unicode.Scalar {
  /// Whether IDNA makes another character of it or its neighbours: conjoining letters, combining
  /// marks and wide forms.
  fileprivate var isOftenMapped: Bool {
    switch value {
    case 0x300..<0x370, 0x1100..<0x1200, 0x3099...0x309a, 0xff00..<0xfff0: true
    default: false
    }
  }
}

extension ArraySlice<Unicode.Scalar> {
  /// Whether some letters are capitals and some are not: as after a full stop without a space.
  var isMixedCase: Bool {
    contains(where: \.properties.isUppercase) && contains(where: \.properties.isLowercase)
  }
}
