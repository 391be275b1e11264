extension Channel {
  /// Bytes of the channel as JSON, without its operators.
  package var byteCount: Int {
    512 + JSONSize.quoted(name) + JSONSize.quoted(coverURL) + JSONSize.quoted(data)
      + JSONSize.quoted(customType)
  }

  /// - Parameter previous: The channel before a change: one that makes it smaller is let through.
  /// - Throws: ``ErrorCode/tooLong`` when the channel would not fit into an event.
  package func checkSize(after previous: Channel? = nil) throws(ServiceError) {
    guard byteCount > Limits.channelByteCount, byteCount > previous?.byteCount ?? 0 else { return }
    let isData = JSONSize.quoted(data) >= JSONSize.quoted(coverURL)
    throw .tooLarge(
      "channel", byteCount: byteCount, limit: Limits.channelByteCount,
      field: isData ? "data" : "cover_url")
  }

  /// The `data` that is shown: none of a channel that was stored before its size was limited and is
  /// larger.
  var fittingData: String {
    let texts = name.utf8.count + coverURL.utf8.count + data.utf8.count + customType.utf8.count
    guard JSONSize.bound(ofBytes: texts) + 512 > Limits.channelByteCount else { return data }
    return byteCount > Limits.channelByteCount ? "" : data
  }
}
