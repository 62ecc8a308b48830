export const assessmentRoutes = []
