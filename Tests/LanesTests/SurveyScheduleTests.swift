import Testing

@testable import Lanes

@Suite("Times of surveys")
struct SurveyScheduleTests {
  @Test("a survey follows every second, and sooner after a hint")
  func times() {
    var surveys = SurveySchedule()
    #expect(surveys.due == .min)
    surveys.begin(at: 100)
    #expect(surveys.due == nil)
    surveys.hint()
    #expect(surveys.due == nil)
    surveys.end(at: 110)
    #expect(surveys.due == 150)
    surveys.begin(at: 150)
    surveys.end(at: 160)
    #expect(surveys.due == 1_160)
    surveys.hint()
    #expect(surveys.due == 200)
    surveys.hasten()
    #expect(surveys.due == .min)
  }

  @Test("a slow survey is followed by a longer pause")
  func pause() {
    var surveys = SurveySchedule()
    surveys.begin(at: 0)
    surveys.end(at: 500)
    #expect(surveys.due == 10_500)
  }
}
