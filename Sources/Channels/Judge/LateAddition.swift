/// An addition to a published message that has come after another home has followed the one that asked for
/// it.
package struct LateAddition: Sendable, Hashable {
  package let messageID: Int64
  /// The text of the message when the addition was asked for.
  package let text: String
  package let enrichment: Enrichment

  package init(messageID: Int64, text: String, enrichment: Enrichment) {
    self.messageID = messageID
    self.text = text
    self.enrichment = enrichment
  }
}
