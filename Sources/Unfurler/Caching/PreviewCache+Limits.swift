extension PreviewCache {
  /// What bounds the cache.
  package struct Limits: Sendable {
    /// Entries in memory.
    package var maximumEntries = 10_000
    /// Bytes in memory, about.
    package var maximumBytes = 32 << 20
    /// Entries in the file.
    package var maximumRows = 100_000
    /// Bytes on disk, the write-ahead log included; 0 for no file at all, and otherwise at least
    /// 1 MiB.
    package var maximumFileBytes = 256 << 20
    /// How long a preview is good at most, and when its server does not say; 0 keeps none.
    package var timeToLive = Duration.seconds(86_400)
    /// How long a preview is good at least, whatever its server says.
    package var minimumTimeToLive = Duration.seconds(300)
    /// How long it is remembered that there is none, and a failed refresh is not repeated.
    package var negativeTimeToLive = Duration.seconds(300)
    /// How long after its time a preview is still shown while it is being refreshed; 0 for not at
    /// all.
    package var staleTimeToLive = Duration.seconds(604_800)

    package init() {}
  }
}
