/// A location in a bucket, and its access key pair.
package struct S3Account: Sendable {
  /// The URL of the bucket, without a trailing slash.
  let bucketURL: String
  let region: String
  /// The prefix of the keys of all objects.
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
