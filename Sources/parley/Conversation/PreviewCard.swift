internal import Bytes
internal import ParleyClient

/// A link preview as a card of text.
struct PreviewCard {
  private static let width = 72

  let style: TextStyle

  /// Title, description and address, each in a line, and what is known of the picture.
  func lines(_ preview: OGMetaData) -> [String] {
    let title = preview.title.map { style.bold(fit($0)) }
    let image = preview.defaultImage.flatMap(picture)
    let address = preview.url.map { style.dim(fit($0)) }
    let parts = [title, preview.desc.map(fit), image, address].compactMap { $0 }
    return parts.map { "      \(style.cyan("│")) \($0)" }
  }

  private func picture(_ image: OGImage) -> String? {
    guard let url = image.url else { return nil }
    let size = image.width > 0 && image.height > 0 ? " \(image.width)×\(image.height)" : ""
    return style.dim(fit("picture\(size): \(image.alt ?? url)"))
  }

  private func fit(_ text: String) -> String {
    DisplayWidth.fit(DisplayText.shortened(text, limit: 400), into: Self.width)
  }
}
