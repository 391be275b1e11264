/// A place in a bucket, and the key pair for it.
package struct S3Account: Sendable {
  /// The URL of the bucket, without a slash at its end.
  let bucketURL: String
  let region: String
  /// The beginning of the keys of all objects.
  let prefix: String
  let key: String
  let secret: String

  /// - Parameters:
  ///   - bucketURL: A URL of `http` or `https` without a query.
  ///   - prefix: Of letters, digits, `-`, `.`, `_`, `~` and `/`, which need no encoding in a URL.
  package init(bucketURL: String, region: String, prefix: String, key: String, secret: String) {
    self.bucketURL = bucketURL
    self.region = region
    self.prefix = prefix
    self.key = key
    self.secret = secret
  }
}
