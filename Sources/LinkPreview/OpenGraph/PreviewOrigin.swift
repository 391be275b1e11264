/// Where one member of a preview came from.
package struct PreviewOrigin: Sendable, Hashable {
  /// The member, such as `og:title`.
  package let member: String
  /// What on the page said it, such as `meta property=og:title` or `title element`.
  package let source: String

  package init(member: String, source: String) {
    self.member = member
    self.source = source
  }
}
