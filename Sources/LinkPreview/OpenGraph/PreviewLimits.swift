/// How much of a text a preview takes, in Unicode scalars; what is longer is cut.
package enum PreviewLimits {
  /// A title, and a picture's description.
  package static let title = 1_024
  /// A page's description.
  package static let description = 4_096
  /// The type of a picture.
  package static let mediaType = 128
}
