import LinkPreview

/// The outcome of one request.
enum TransferOutcome {
  case page(PageReport)
  case embed(OEmbedResponse)
  case redirect(to: String)
  /// A response that is no page; why, in words.
  case nothing(String)
  case failure(UnfurlError)
}
