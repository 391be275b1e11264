import CCurl
import Curl
import LinkPreview
import Reactor

extension Transfer {
  /// The trace of the request after its end.
  func trace(ending: String) -> RequestTrace {
    var trace = RequestTrace(url: request.url.textWithoutFragment, purpose: request.purpose.traced)
    trace.address = easy.peerAddress
    trace.status = easy.status
    trace.contentType = easy.fields("content-type").last.map { String($0.prefix(256)) }
    trace.byteCount = byteCount
    trace.waiting = request.waiting
    // On a kept connection libcurl's first times measure the search for that connection.
    if easy.openedConnectionCount > 0 {
      trace.nameLookup = easy.microseconds(until: CURLINFO_NAMELOOKUP_TIME_T)
      trace.connect = easy.microseconds(until: CURLINFO_CONNECT_TIME_T)
      trace.tlsHandshake = easy.microseconds(until: CURLINFO_APPCONNECT_TIME_T)
    }
    trace.firstByte = easy.microseconds(until: CURLINFO_STARTTRANSFER_TIME_T)
    trace.total = easy.microseconds(until: CURLINFO_TOTAL_TIME_T)
    trace.ending = ending
    return trace
  }

  /// How long what came of the response may be kept, as its server says.
  func freshness(of outcome: TransferOutcome) -> Freshness {
    switch (request.purpose, outcome) {
    case (_, .failure): return .unspecified
    case (.page, _), (.embed, .embed): break
    // The page is shown as it would be without it.
    case (.embed, _): return .unspecified
    }
    let fields = ResponseFreshness(
      cacheControl: easy.fields("cache-control"), age: easy.fields("age"),
      date: easy.fields("date"), expires: easy.fields("expires"))
    return fields.freshness(at: SystemClock.unixMilliseconds / 1_000)
  }
}
