/// An addition to a published message that arrived after the home that requested it was replaced.
package struct LateAddition: Sendable, Hashable {
  package let messageID: Int64
  /// The text of the message when the addition was requested.
  package let text: String
  package let enrichment: Enrichment
}
