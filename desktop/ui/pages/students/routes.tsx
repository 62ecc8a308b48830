export const studentRoutes = []
