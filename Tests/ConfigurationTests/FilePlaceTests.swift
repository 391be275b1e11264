import Testing

@testable import Configuration

@Suite("File locations")
struct FilePlaceTests {
  private func bucket(_ text: String) -> BucketPlace? {
    if case .bucket(let place) = FilePlace(text) { place } else { nil }
  }

  @Test("a location is written as it was parsed")
  func places() {
    #expect(FilePlace("data_dir") == .dataDirectory)
    #expect(FilePlace("directory:/srv/parley") == .directory("/srv/parley"))
    for text in ["data_dir", "directory:/a", "s3://abc", "s3://abc?region=r&prefix=a/b"] {
      #expect(FilePlace(text)?.description == text)
    }
  }

  @Test("a bucket is part of the host at Amazon, part of the path elsewhere or with a dot")
  func urls() {
    #expect(bucket("s3://abc")?.url == "https://abc.s3.us-east-1.amazonaws.com")
    #expect(bucket("s3://a.bc?region=eu-1")?.url == "https://s3.eu-1.amazonaws.com/a.bc")
    #expect(bucket("s3://abc?endpoint=http://[::1]:9000/")?.url == "http://[::1]:9000/abc")
    #expect(bucket("s3://abc?endpoint=http%3A%2F%2Fa%3A1")?.url == "http://a:1/abc")
  }

  @Test("a prefix ends with a slash")
  func prefixes() {
    #expect(bucket("s3://abc")?.prefix == "")
    #expect(bucket("s3://abc?prefix=a")?.prefix == "a/")
    #expect(bucket("s3://abc?prefix=/a//b/")?.prefix == "a/b/")
  }

  @Test(
    "an invalid location is refused",
    arguments: [
      "", "data", "directory:", "directory:/", "directory:srv", "s3:", "s3://", "s3://ab",
      "s3://abc/d", "s3://abc?region=", "s3://abc?region=a/b", "s3://abc?zone=a", "s3://abc#a",
      "s3://abc?region=a&region=b", "s3://u:p@abc", "s3://abc:1", "s3://abc?prefix=..",
      "s3://abc?prefix=a%20b", "s3://abc?endpoint=ftp://a", "s3://abc?endpoint=http://a/b",
      "s3://abc?endpoint=http://u:p@a", "s3://abc?endpoint=http://a?b", "s3://a..b", "s3://a_bc",
    ])
  func nonsense(text: String) {
    #expect(FilePlace(text) == nil)
  }

  @Test("a bucket requires both halves of its key")
  func keys() throws {
    #expect(problems(["--files-store=s3://abc"]).count == 2)
    #expect(problems(["--files-store=s3://abc", "--files-s3-key=k"]).count == 1)
    let settings = try load(
      ["--files-store=s3://abc", "--files-s3-key=k"],
      environment: ["PARLEY_FILES_S3_SECRET": "s/+="])
    #expect(settings.files.bucketSecret?.value == "s/+=")
    #expect(problems(["--files-s3-key=a:b"]).count == 1)
  }
}
