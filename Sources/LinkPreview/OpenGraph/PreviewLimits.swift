/// How much of a text a preview takes, in Unicode scalars; what is longer is cut.
enum PreviewLimits {
  static let title = 1_024
  static let description = 4_096
  static let mediaType = 128
}
