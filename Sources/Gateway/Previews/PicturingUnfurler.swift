import Dispatch
import LinkPreview
import ParleyProtocol
import Synchronization
import Thumbnails
import Unfurler

/// Fetches the previews of pages, and replaces the address of each picture with that of a copy.
///
/// The page and its picture share one deadline. A picture that is not ready by the deadline is omitted,
/// and the preview without the picture is kept no longer than a failure.
struct PicturingUnfurler: Unfurler {
  private let pages: any Unfurler
  private let pictures: PreviewPictures

  init(_ pages: any Unfurler, pictures: PreviewPictures) {
    self.pages = pages
    self.pictures = pictures
  }

  var isServiceUp: Bool? { pages.isServiceUp }

  func unfurl(
    _ link: Link, for requester: PreviewRequester, deadline: Duration,
    completion: @escaping @Sendable (UnfurlReport) -> Void
  ) -> UnfurlTask {
    let end = ContinuousClock.now.advanced(by: deadline)
    let wait = PictureWait(completion)
    let task = pages.unfurl(link, for: requester, deadline: deadline) { [pictures] report in
      guard let tag = report.tag, let image = tag.image else { return wait.end(with: report) }
      let left = ContinuousClock.now.duration(to: end)
      guard let url = image.url ?? image.secureURL else {
        return wait.end(with: report.picturing(nil))
      }
      guard left > .zero else { return wait.end(with: report.lackingPicture) }
      let milliseconds = Int(left / .milliseconds(1))
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
        wait.end(with: report.lackingPicture)
      }
      pictures.obtain(url, for: requester, deadline: left) { result in
        switch result {
        case .failure(let problem): wait.end(with: report.withoutPicture(problem))
        case .success(let picture):
          wait.end(with: report.picturing(image.copied(picture, from: url, by: pictures)))
        }
      }
    }
    return UnfurlTask {
      task.cancel()
      wait.end(with: .cancelled)
    }
  }

  func shutdown() { pages.shutdown() }
}

/// Completes a fetch once: with its picture, without it, or as cancelled.
private final class PictureWait: Sendable {
  private let completion: Mutex<(@Sendable (UnfurlReport) -> Void)?>

  init(_ completion: @escaping @Sendable (UnfurlReport) -> Void) {
    self.completion = Mutex(completion)
  }

  func end(with report: UnfurlReport) {
    let completion = completion.withLock { completion in
      defer { completion = nil }
      return completion
    }
    completion?(report)
  }
}

extension UnfurlReport {
  /// The report without its picture, with the reason in the trace.
  fileprivate func withoutPicture(_ problem: PictureProblem) -> UnfurlReport {
    var report = problem.isLasting ? picturing(nil) : lackingPicture
    var requests = problem.requests
    if let last = requests.indices.last {
      requests[last].ending += "; no picture: \(problem)"
    }
    let room = UnfurlTrace.maximumRequests - report.trace.requests.count
    report.trace.requests += requests.suffix(max(0, room))
    return report
  }

  /// The report without its picture, which may be available at the next attempt.
  fileprivate var lackingPicture: UnfurlReport {
    var report = picturing(nil)
    report.isIncomplete = true
    return report
  }

  /// The report with another picture.
  fileprivate func picturing(_ image: OpenGraphImage?) -> UnfurlReport {
    guard var tag else { return self }
    tag.image = image
    var report = self
    report.outcome = .success(tag)
    return report
  }
}

extension OpenGraphImage {
  fileprivate func copied(
    _ picture: ShelvedPicture, from url: String, by pictures: PreviewPictures
  ) -> OpenGraphImage {
    let address = pictures.address(of: picture, from: url)
    return OpenGraphImage(
      url: address, secureURL: address.hasPrefix("https://") ? address : nil,
      type: picture.format.mediaType, width: Int32(picture.size.width),
      height: Int32(picture.size.height), alt: alt, originURL: url)
  }
}
