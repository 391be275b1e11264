/// Why an oEmbed answer cannot be used.
package struct OEmbedError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The fault in words.
  package let description: String
}
