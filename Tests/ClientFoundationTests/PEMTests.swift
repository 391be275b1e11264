import Testing

@testable import ClientFoundation

@Suite("Certificates in PEM")
struct PEMTests {
  @Test("are found between other text, and refused when broken")
  func parsing() {
    let begin = "-----BEGIN CERTIFICATE-----\n"
    let end = "\n-----END CERTIFICATE-----\n"
    let two = "subject=a\n" + begin + "AQID\r\nBA==" + end + "noise\n" + begin + "BQ==" + end
    #expect(PEMCertificates.parse(two)?.map { Array($0) } == [[1, 2, 3, 4], [5]])
    for broken in ["", "AQID", begin + "AQID", begin + "!" + end, begin + end] {
      #expect(PEMCertificates.parse(broken) == nil, "\(broken)")
    }
  }
}
