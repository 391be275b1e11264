import Bytes
import LinkPreview
import ParleyProtocol
import Store
import Unfurler

extension PreviewExplanation {
  /// Writes the explanation; what there is not is left out.
  func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("url", link.url)
      $0.previewOutcome(report.tag, report.problem)
      if let kind = report.problemKind { $0.member("kind", kind.rawValue) }
      $0.member("duration_us", Int64(duration / .microseconds(1)))
      if let cached {
        $0.name("cached")
        cached.encode(into: &$0)
      }
      $0.name("trace")
      report.trace.encode(into: &$0)
    }
  }
}

extension PreviewEntry {
  func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("url", link.url)
      $0.previewOutcome(tag, problem)
      $0.member("fetched_at", fetchedAt)
      $0.member("expires_at", expiresAt)
      $0.member("stale_until", staleUntil)
    }
  }
}

extension PreviewPage {
  /// As many of the entries as an answer holds, with the token of the next page.
  func encoded(_ pages: PageCursor<String>) -> [UInt8] {
    var room = PageRoom.answer
    var page = ListPage<[UInt8]>(items: [], next: "")
    for entry in entries {
      let item = PageItem { entry.encode(into: &$0) }
      guard room.admit(byteCount: item.byteCount) else { break }
      page.items.append(item.value)
    }
    let end = page.items.count < entries.count ? entries[page.items.count - 1].link.url : next
    if let end { page.next = pages.token(after: end) }
    return page.encoded(as: "previews")
  }
}

extension JSONWriter {
  /// Writes the preview, or why there is none.
  fileprivate mutating func previewOutcome(_ tag: OpenGraphTag?, _ problem: String?) {
    if let tag {
      name("og_tag")
      tag.encodeForPlatform(into: &self)
    }
    member("problem", problem ?? "")
  }
}
