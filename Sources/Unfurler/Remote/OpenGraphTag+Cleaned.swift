import Basics
import LinkPreview
import ParleyProtocol

extension OpenGraphTag {
  /// The preview under the rules that hold for a page's own values: text folded and bounded, http
  /// and https addresses only; `nil` when nothing is left to show.
  var cleaned: OpenGraphTag? {
    let tag = OpenGraphTag(
      title: title.cleaned(limit: PreviewLimits.title), url: url.webAddress,
      description: description.cleaned(limit: PreviewLimits.description),
      image: image?.cleaned)
    return tag.title == nil && tag.description == nil && tag.image == nil ? nil : tag
  }
}

extension OpenGraphImage {
  /// The picture under the same rules; `nil` without an address.
  fileprivate var cleaned: OpenGraphImage? {
    guard let address = url.webAddress ?? secureURL.webAddress else { return nil }
    return OpenGraphImage(
      url: address, secureURL: secureURL.webAddress,
      type: type.cleaned(limit: PreviewLimits.mediaType), width: max(0, width),
      height: max(0, height), alt: alt.cleaned(limit: PreviewLimits.title))
  }
}

extension String? {
  fileprivate func cleaned(limit: Int) -> String? {
    guard let text = map({ DisplayText.line($0, limit: limit) }), !text.isEmpty else { return nil }
    return text
  }

  fileprivate var webAddress: String? { flatMap { WebURL($0)?.text } }
}
