package import LinkPreview

/// Which remembered previews an operator means.
package enum PreviewSelection: Sendable, Hashable {
  case all
  case link(Link)
  /// The links of a host and of all hosts below it, whatever their port; text that is no host
  /// selects nothing.
  case domain(String)
}
