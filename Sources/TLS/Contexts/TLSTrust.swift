/// The authorities and names that a client trusts.
package struct TLSTrust: Sendable, Hashable {
  /// Whether the server must prove who it is.
  package enum Verification: Sendable, Hashable {
    /// Its certificate must be valid, trusted and made out to its name.
    case full
    /// Anyone is believed: for experiments only.
    case none
  }

  package var verification: Verification
  /// PEM files of authorities that are trusted beside the system's.
  package var authorityPaths: [String]
  /// PEM texts of authorities that are trusted beside the system's.
  package var authorityTexts: [String]

  package init(
    verification: Verification = .full, authorityPaths: [String] = [],
    authorityTexts: [String] = []
  ) {
    self.verification = verification
    self.authorityPaths = authorityPaths
    self.authorityTexts = authorityTexts
  }
}
